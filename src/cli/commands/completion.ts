// toolcrib completion: prints the script with which a shell completes commands, servers and tools.

import type { Command } from 'commander'
import { raise } from '../../core/errors.ts'
import type { Environment } from '../../setup/environment.ts'
import { type CommonFlags, commandOf, run } from '../output/work.ts'

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_toolcrib() {
  # COMP_WORDS is not used, because bash splits words at a colon.
  local IFS=$' \\t\\n' line="\${COMP_LINE:0:COMP_POINT}" words last found
  read -ra words <<< "$line"
  [[ "$line" == *' ' ]] && words+=("")
  last="\${words[\${#words[@]}-1]}"
  COMPREPLY=()
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(toolcrib complete -- "\${words[@]:1}" 2>/dev/null)
  if [[ "$last" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
    COMPREPLY=("\${COMPREPLY[@]#"\${last%"\${last##*:}"}"}")
  fi
}
complete -o default -F _toolcrib toolcrib`,
  zsh: `#compdef toolcrib
_toolcrib() {
  local -a found
  found=("\${(@f)$(toolcrib complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- "\${(@)found:#}"
}
compdef _toolcrib toolcrib`,
  fish: `function __toolcrib_complete
  set -l words (commandline -opc) (commandline -ct)
  toolcrib complete -- $words[2..-1] 2>/dev/null
end
complete -c toolcrib -f -a '(__toolcrib_complete)'`,
}

export const SHELLS: readonly string[] = Object.keys(SCRIPTS)

export function createCommand(environment: Environment): Command {
  return commandOf('completion', 'Print the completion script of a shell: bash, zsh or fish.', 'completion bash')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string, flags: CommonFlags) =>
      run(environment, flags, async ({ output }) => {
        const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
        if (script === undefined) {
          raise('INVALID_ARGUMENTS', {
            reason: `There is no completion script for '${shell}'. Supported shells: ${SHELLS.join(', ')}`,
            command: 'toolcrib completion',
          })
        }
        output.show({ shell, script }, () => [script])
        return 0
      }),
    )
}
