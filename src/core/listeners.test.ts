import { expect, it, onTestFinished } from 'vitest'
import { createListeners } from './listeners.ts'

it.each([
  [
    'an Error',
    new TypeError('broken'),
    { message: 'broken', detail: expect.stringMatching(/^TypeError: broken\n +at /) },
  ],
  ['another value', 'broken', { message: 'A listener threw a value that is not an Error.' }],
])(
  'turns %s that a listener throws into a process warning of the type ToolcribListener',
  async (_, thrown, expected) => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const listeners = createListeners()
    listeners.add(() => {
      throw thrown
    })
    listeners.tell()
    const own = () => warnings.filter(({ name }) => name === 'ToolcribListener')
    await expect.poll(own).toEqual([expect.objectContaining(expected)])
  },
)
