import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { chooseAddress, isGone, readRegistrations, register, unregister } from './registration.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-gateways-'))
afterAll(() => rmSync(folder, { recursive: true }))

it.skipIf(process.platform === 'win32')(
  'the control socket is beside its registration file, in a temporary folder if the path is too long, or a named pipe on Windows',
  async () => {
    expect(await chooseAddress(folder, 7, 'linux', tmpdir())).toBe(join(folder, 'gateways', '7.sock'))
    const deep = join(folder, 'x'.repeat(90))
    const elsewhere = await chooseAddress(deep, 7, 'linux', folder)
    expect(elsewhere.length).toBeLessThan(100)
    expect(statSync(join(elsewhere, '..')).mode & 0o077).toBe(0)
    expect(await chooseAddress(folder, 7, 'win32', '')).toMatch(/^\\\\\.\\pipe\\toolcrib-7-/)
  },
)

it('a registration is found until it is removed, and a process that has ended is detected', async () => {
  const one = { pid: process.pid, address: 'here', startedAt: 'now', version: '1' }
  await register(folder, one)
  expect(await readRegistrations(folder)).toEqual([one])
  expect(isGone(one)).toBe(false)
  expect(isGone({ ...one, pid: 2 ** 22 + 1 })).toBe(true)
  await unregister(folder, one.pid)
  expect(await readRegistrations(folder)).toEqual([])
})
