import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../config/temp-folder.fixture.ts'
import { chooseTransport } from './choose-transport.ts'

const self = fileURLToPath(import.meta.url)
const isWindows = process.platform === 'win32'

/** What a process with this as its stdin would choose. */
function choiceFor(path: string, flags: number = constants.O_RDONLY) {
  const fd = openSync(path, flags)
  try {
    return chooseTransport('auto', fd)
  } finally {
    closeSync(fd)
  }
}

describe('chooseTransport', () => {
  it('takes what it is told, and needs no reason', () => {
    expect(chooseTransport('stdio', -1)).toEqual({ transport: 'stdio' })
    expect(chooseTransport('http', -1)).toEqual({ transport: 'http' })
  })

  it('takes stdio where stdin is a file', () => {
    expect(choiceFor(self)).toEqual({ transport: 'stdio', reason: 'stdin is a file' })
  })

  // What a child process of Node has for its stdin is a socket: the end-to-end tests start such ones.
  it.skipIf(isWindows)('takes stdio where stdin is a pipe', () => {
    const pipe = tempFolder().at('pipe')
    spawnSync('mkfifo', [pipe])
    // For both, so that opening it waits for nobody.
    expect(choiceFor(pipe, constants.O_RDWR)).toEqual({ transport: 'stdio', reason: 'stdin is a pipe' })
  })

  it('takes http where stdin is the null device, as under a service manager', () => {
    expect(choiceFor(devNull)).toEqual({ transport: 'http', reason: 'stdin is a device' })
  })

  it('takes http where stdin is closed', () => {
    const fd = openSync(self, 'r')
    closeSync(fd)
    expect(chooseTransport('auto', fd)).toEqual({ transport: 'http', reason: 'stdin is closed' })
  })
})
