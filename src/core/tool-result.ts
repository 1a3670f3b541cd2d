// Checks whether a value is a tool result of MCP, as the SDK does. Code that imports only this does not load the SDK.

import { z } from 'zod'

export function isToolResult(value: unknown): boolean {
  schema ??= resultSchema()
  return schema.safeParse(value).success
}

/** Created on first use: most results are plain text, for which there is a faster check. */
let schema: z.ZodType | undefined

function resultSchema(): z.ZodType {
  const text = z.string()
  const meta = z.record(z.string(), z.unknown()).optional()
  const annotations = z
    .object({
      audience: z.array(z.enum(['user', 'assistant'])).optional(),
      priority: z.number().min(0).max(1).optional(),
      lastModified: z.iso.datetime({ offset: true }).optional(),
    })
    .optional()
  const base64 = text.refine(isBase64)
  const block = <T extends z.core.$ZodShape>(type: string, shape: T) =>
    z.object({ ...shape, type: z.literal(type), annotations, _meta: meta })
  const media = { data: base64, mimeType: text }
  const contents = { uri: text, mimeType: text.optional(), _meta: meta }
  const icon = z.object({
    src: text,
    mimeType: text.optional(),
    sizes: z.array(text).optional(),
    theme: z.enum(['light', 'dark']).optional(),
  })
  const link = {
    name: text,
    title: text.optional(),
    icons: z.array(icon).optional(),
    uri: text,
    description: text.optional(),
    mimeType: text.optional(),
    size: z.number().optional(),
  }
  const resource = z.union([z.object({ ...contents, text }), z.object({ ...contents, blob: base64 })])
  const content = z.union([
    block('text', { text }),
    block('image', media),
    block('audio', media),
    block('resource_link', link),
    block('resource', { resource }),
  ])
  return z.looseObject({ content: z.array(content), isError: z.boolean().optional(), _meta: meta })
}

/** `atob` also handles very long texts, for which a regular expression needs too much stack. */
function isBase64(text: string): boolean {
  try {
    atob(text)
    return true
  } catch {
    return false
  }
}
