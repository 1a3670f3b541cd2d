// Runs `toolcrib token revoke`: removes a token, so that running gateways refuse it and close its connections.

import { errorOf } from '../../../core/errors.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import { quoteList } from '../../../core/text.ts'
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
    const command = 'toolcrib token revoke'
    if (Object.hasOwn(loaded.config.http.tokens, name)) {
      const reason = `The token of '${name}' is in http.tokens of the configuration`
      return failWith(output, errorOf('INVALID_ARGUMENTS', { reason, command, todo: 'Remove it there.' }))
    }
    const similar = findSimilarTools(
      name,
      (await book.list()).map((one) => one.name),
    )
    const meant = similar.length === 0 ? '' : `Did you mean ${quoteList(similar)}? `
    const todo = `${meant}\`toolcrib token list\` lists the tokens.`
    return failWith(output, errorOf('INVALID_ARGUMENTS', { reason: `There is no token '${name}'`, command, todo }))
  })
}
