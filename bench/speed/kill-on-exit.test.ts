import { expect, it, vi } from 'vitest'
import { killOnExit } from './kill-on-exit.ts'

it('killOnExit kills only the programs that still run when the process ends', () => {
  const register = vi.spyOn(process, 'once').mockReturnValue(process)
  const [ended, running] = [{ kill: vi.fn() }, { kill: vi.fn() }]
  const forget = killOnExit(ended)
  forget()
  killOnExit(running)
  const listeners = register.mock.calls.filter(([event]) => event === 'exit').map(([, listener]) => listener)
  register.mockRestore()
  expect(listeners).toHaveLength(1)
  for (const listener of listeners) listener()
  expect(ended.kill).not.toHaveBeenCalled()
  expect(running.kill).toHaveBeenCalledExactlyOnceWith('SIGKILL')
})
