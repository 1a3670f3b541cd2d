// Row 19 of docs/security.md: an audit log that cannot be written, and later can.

import { symlinkSync, unlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { homeForTest } from '../e2e/gateway/home.ts'
import { faultGateway, hostile } from './harness.ts'

describe.each(['strict', 'lenient'] as const)('row 19, %s', (mode) => {
  it(`row 19: with a full disk, ${
    mode === 'strict'
      ? "audit 'strict' runs no call that it cannot record, and runs calls again when the disk has room"
      : "audit 'lenient' runs every call, counts the lines that are lost and reports them"
  }`, async () => {
    const home = homeForTest()
    const auditFile = home.at('audit.jsonl')
    symlinkSync('/dev/full', auditFile)
    const gateway = await faultGateway({
      home,
      auditFile: home.at('restored.jsonl'),
      config: { audit: { mode, file: auditFile } },
      servers: { hostile: hostile('plain', { HOSTILE_LOG: home.at('hostile.log') }) },
    })
    const client = await gateway.connect()
    const ran = () => home.lines('hostile.log').filter((line) => line.startsWith('call ')).length
    for (let call = 0; call < 20; call++) {
      const { structuredContent } = await client.run({ server: 'hostile', tool: 'fine' })
      if (mode === 'lenient') expect(structuredContent).toMatchObject({ success: true })
      else expect(structuredContent).toMatchObject({ success: false, error: { code: 'AUDIT_FAILED', retryable: true } })
    }
    expect(ran()).toBe(mode === 'strict' ? 0 : 20)
    await expect.poll(() => gateway.stderr).toMatch(/the disk is full/)
    gateway.attempted(-20)
    // Records are written together after up to 50 ms.
    await pause(500)
    // The disk has room again: the same path is a file now.
    unlinkSync(auditFile)
    symlinkSync(home.at('restored.jsonl'), auditFile)
    for (let call = 0; call < 5; call++) {
      expect((await client.run({ server: 'hostile', tool: 'fine' })).structuredContent).toMatchObject({ success: true })
    }
    expect(ran()).toBe(mode === 'strict' ? 5 : 25)
    if (mode === 'lenient') {
      await expect
        .poll(() => gateway.stderr)
        .toContain('20 records are missing from the audit log; the log is writable again')
    }
  })
})
