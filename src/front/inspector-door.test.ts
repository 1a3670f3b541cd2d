import { expect, it, vi } from 'vitest'
import type { InspectorOptions } from './inspector/inspector-options.ts'
import { createInspectorDoor } from './inspector-door.ts'

it('tries to open the inspector again after a failure, and can be closed during an attempt that fails', async () => {
  const reports = vi.fn(async () => Promise.reject(new Error('the file is gone')))
  const gateway = { loaded: { config: { http: { inspector: 'full' } } } }
  const inspector = { gateway, reports } as unknown as InspectorOptions // the fields that are read before the failure
  const door = createInspectorDoor({ inspector, basePath: '', mcpPath: '/mcp', onError: () => {} })
  const request = () => door.answer(new Request('http://localhost/api/tools'), undefined, { principal: 'anna' })
  await expect(request()).rejects.toThrow('the file is gone')
  await expect(request()).rejects.toThrow('the file is gone')
  expect(reports).toHaveBeenCalledTimes(2)
  const last = request()
  await Promise.all([expect(last).rejects.toThrow(), door.close()])
})
