// Determines which shared gateway a client joins. The key is a hash of configuration, flags, folder and account.

import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { isApprovalOf } from '../../config/approval.ts'
import { realFiles } from '../../config/config-files.ts'
import { expandHome } from '../../config/paths.ts'
import { readApprovals } from '../../setup/approvals.ts'
import type { Environment } from '../../setup/environment.ts'
import { withCommandFirst } from '../words/options.ts'

export interface SharedTarget {
  readonly key: string
  /** The name of the client, which is its principal in the gateway. */
  readonly client: string
  /** The folder in which the gateway runs. */
  readonly folder: string
  /** The arguments that start the gateway, without its key. */
  readonly args: readonly string[]
}

/** Flags that do not change what the gateway serves. */
const IGNORED_FLAGS = new Set(['--shared', '--no-shared', '-q', '--quiet', '-v', '--verbose'])
export const DEFAULT_CLIENT = 'client'

/** `words` is the command line of the relay process, with or without `serve`. */
export async function sharedTarget(
  words: readonly string[],
  { cwd, home, configDir, stateDir, ownEnv }: Pick<Environment, 'cwd' | 'home' | 'configDir' | 'stateDir' | 'ownEnv'>,
): Promise<SharedTarget> {
  const { client, config, rest } = readServeWords(withCommandFirst(words))
  const configArgs = config === undefined ? [] : ['--config', resolve(cwd, expandHome(config, home))]
  const real = realFiles.realPath(cwd)
  const folder = (await isApprovedFolder(real, stateDir)) ? real : home
  const args = ['serve', ...rest, ...configArgs]
  const parts = [folder, configDir, args, accountVariables(ownEnv)]
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
  return { key, client, folder, args }
}

/** Variables that choose the account or the environment of a program. Servers inherit them. */
const ACCOUNT =
  /(?:^|_)(?:TOKEN|API_?KEY|SECRET|PASSWORD|PASSWD|CREDENTIALS?|ACCESS_KEY(?:_ID)?|PROFILE)(?:_|$)|^(?:AWS|AZURE|GOOGLE|GCLOUD|CLOUDSDK|KUBE|DOCKER)/i
/** Variables that clients set for their own use. */
const OF_CLIENT = /^(?:VSCODE|CURSOR|CLAUDE|ELECTRON|ZED|WINDSURF|GEMINI_CLI)_/i

/** Clients with different accounts do not share a gateway: the servers of one would use the account of the other. */
function accountVariables(env: Environment['ownEnv']): readonly (readonly [string, string | undefined])[] {
  return Object.entries(env)
    .filter(([name]) => ACCOUNT.test(name) && !OF_CLIENT.test(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}

function readServeWords(words: readonly string[]) {
  let client = DEFAULT_CLIENT
  let config: string | undefined
  const rest: string[] = []
  for (let at = words[0] === 'serve' ? 1 : 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const [name = '', inline] = splitFlag(word)
    if (name === '--client' || name === '--config') {
      const value = inline ?? words[++at] ?? ''
      if (name === '--client') client = value
      else config = value
    } else if (!IGNORED_FLAGS.has(word)) rest.push(word)
  }
  return { client, config, rest }
}

function splitFlag(word: string): readonly (string | undefined)[] {
  const at = word.indexOf('=')
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}

/** True if a file of this folder is approved. All other folders share the gateway of the home folder. */
async function isApprovedFolder(folder: string, stateDir: string): Promise<boolean> {
  const approvals = await readApprovals(stateDir)
  return approvals.some((approval) => isApprovalOf(approval, { realPath: approval.path, folder }))
}
