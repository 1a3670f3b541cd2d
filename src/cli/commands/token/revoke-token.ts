// Runs `toolcrib token revoke`: removes a token, so that running gateways refuse it and close its connections.

import { errorOf } from '../../../core/errors.ts'
import { oneLine } from '../../output/text.ts'
import { failWith, type Work } from '../../output/work.ts'
import { withTokens } from './open-tokens.ts'

export async function revokeToken(work: Work, name: string): Promise<number> {
  const { output } = work
  return withTokens(work, async (book, loaded) => {
    if (await book.revoke(name)) {
      output.show({ revoked: name }, () => [
        `Revoked the token of '${oneLine(name)}'. Running gateways refuse it within a second.`,
      ])
      return 0
    }
    const reason = Object.hasOwn(loaded.config.http.tokens, name)
      ? `the token of '${name}' is in http.tokens of the configuration; remove it there`
      : `there is no token '${name}'`
    return failWith(output, errorOf('INVALID_ARGUMENTS', { reason, command: 'toolcrib token revoke' }))
  })
}
