// One block of a result: text, JSON, an image, audio, a resource or a link. All of it is shown as data, never as markup.

import { useState } from 'preact/hooks'
import { bytes } from '../../format.ts'
import { isRecord, type JsonObject } from '../../is-record.ts'
import { CodeBlock, JsonBlock } from '../../parts/code-block.tsx'
import { AddressText, ServerText } from '../../parts/server-text.tsx'

interface ContentBlockProps {
  readonly block: JsonObject
  readonly name: string
}

const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/i
const AUDIO = /^audio\/[\w.+-]+$/i
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/

export function ContentBlock({ block, name }: ContentBlockProps) {
  const { type } = block
  if (type === 'text' && typeof block.text === 'string') return <TextBlock text={block.text} name={name} />
  if (type === 'image' || type === 'audio') return <MediaBlock block={block} name={name} />
  if (type === 'resource' && isRecord(block.resource)) return <ResourceBlock resource={block.resource} name={name} />
  if (type === 'resource_link' && typeof block.uri === 'string')
    return (
      <figure class="block">
        <figcaption class="quiet">{name}: link to a resource</figcaption>
        <p>
          {typeof block.name === 'string' && (
            <>
              <ServerText text={block.name} />:{' '}
            </>
          )}
          <AddressText address={block.uri} />
        </p>
        {typeof block.description === 'string' && (
          <p class="quiet">
            <ServerText text={block.description} />
          </p>
        )}
      </figure>
    )
  return <JsonBlock value={block} label={name} />
}

function TextBlock({ text, name }: { readonly text: string; readonly name: string }) {
  const parsed = parseJson(text)
  return parsed === undefined ? <CodeBlock text={text} label={name} /> : <JsonBlock value={parsed} label={name} />
}

function MediaBlock({ block, name }: ContentBlockProps) {
  const mimeType = typeof block.mimeType === 'string' ? block.mimeType : ''
  const data = typeof block.data === 'string' && BASE64.test(block.data) ? block.data.replace(/\s/g, '') : undefined
  const size = data === undefined ? '' : bytes(Math.floor((data.length * 3) / 4))
  const [isBroken, setIsBroken] = useState(false)
  const kind =
    data === undefined ? undefined : IMAGES.test(mimeType) ? 'image' : AUDIO.test(mimeType) ? 'audio' : undefined
  const media = { src: `data:${mimeType};base64,${data}`, onError: () => setIsBroken(true) }
  return (
    <figure class="block">
      <figcaption class="quiet">
        {name}: <ServerText text={mimeType} /> {size}
      </figcaption>
      {kind === undefined && (
        <p class="quiet">
          {data === undefined ? 'The data is not valid Base64.' : 'This page cannot show this kind of data.'}
        </p>
      )}
      {kind !== undefined && isBroken && <p class="quiet">The browser cannot read this {kind}.</p>}
      {kind === 'image' && !isBroken && <img {...media} alt={`${name} of the result`} />}
      {kind === 'audio' && !isBroken && <audio controls aria-label={`${name} of the result`} {...media} />}
    </figure>
  )
}

function ResourceBlock({ resource, name }: { readonly resource: JsonObject; readonly name: string }) {
  const { uri, mimeType, text, blob } = resource
  return (
    <figure class="block">
      <figcaption class="quiet">
        {name}: resource {typeof mimeType === 'string' && <ServerText text={mimeType} />}
      </figcaption>
      {typeof uri === 'string' && (
        <p>
          <AddressText address={uri} />
        </p>
      )}
      {typeof text === 'string' && <TextBlock text={text} name={`Text of ${name.toLowerCase()}`} />}
      {typeof blob === 'string' && <MediaBlock block={{ mimeType, data: blob }} name={name} />}
    </figure>
  )
}

/** Parses a JSON object or list. Returns undefined for any other text, also for a JSON number or string. */
function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
