import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../config/temp-folder.fixture.ts'
import { chooseTransport } from './choose-transport.ts'

const self = fileURLToPath(import.meta.url)
const isWindows = process.platform === 'win32'

/** The choice of a process that reads its stdin from `path`. */
function choiceFor(path: string, flags: number = constants.O_RDONLY) {
  const fd = openSync(path, flags)
  try {
    return chooseTransport('auto', fd)
  } finally {
    closeSync(fd)
  }
}

describe('chooseTransport', () => {
  it('returns a transport that the author chose, and gives no reason for it', () => {
    expect(chooseTransport('stdio', -1)).toEqual({ transport: 'stdio' })
    expect(chooseTransport('http', -1)).toEqual({ transport: 'http' })
  })

  it('chooses stdio when stdin is a file', () => {
    expect(choiceFor(self)).toEqual({ transport: 'stdio', reason: 'stdin is a file' })
  })

  // The stdin of a child process of Node is a socket; the end-to-end tests cover that.
  it.skipIf(isWindows)('chooses stdio when stdin is a pipe', () => {
    const pipe = tempFolder().at('pipe')
    spawnSync('mkfifo', [pipe])
    // Opened for reading and writing, so that open does not block until another process opens the pipe.
    expect(choiceFor(pipe, constants.O_RDWR)).toEqual({ transport: 'stdio', reason: 'stdin is a pipe' })
  })

  it('chooses http when stdin is the null device, as under a service manager', () => {
    expect(choiceFor(devNull)).toEqual({ transport: 'http', reason: 'stdin is a device' })
  })

  it('chooses http when stdin is closed', () => {
    const fd = openSync(self, 'r')
    closeSync(fd)
    expect(chooseTransport('auto', fd)).toEqual({ transport: 'http', reason: 'stdin is closed' })
  })
})
