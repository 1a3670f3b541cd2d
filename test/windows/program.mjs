// For the Windows checks: runs the built program in a separate home folder, as a command or as a server with a client.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const main = join(root, 'dist', 'cli', 'main.js')
/** Wine on a busy machine takes ten times as long as Windows. */
const MAX_RUN_MS = 120_000
const MAX_STARTS = 5

export function createHome() {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib windows-'))
  const pids = join(folder, 'pids')
  const cwd = join(folder, 'project')
  for (const one of [pids, cwd]) mkdirSync(one)
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:XDG_|TOOLCRIB)/i.test(name))),
    USERPROFILE: folder,
    APPDATA: join(folder, 'AppData', 'Roaming'),
    LOCALAPPDATA: join(folder, 'AppData', 'Local'),
    PIDS: pids,
    Aws_Profile: 'dev',
    Toolcrib_Token: 'own',
  }
  return {
    folder,
    cwd,
    env,
    write(path, content) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      const isText = typeof content === 'string' || Buffer.isBuffer(content)
      writeFileSync(file, isText ? content : JSON.stringify(content, null, 2))
      return file
    },
    /** All processes of the checks' server that were started, each with the time of its start and its id. */
    started: () => readdirSync(pids),
  }
}

/** `started` is a value of `home.started()`. */
export function isAlive(started) {
  try {
    return process.kill(Number(started.split('-')[1]), 0)
  } catch {
    return false
  }
}

async function start(home, args, env = {}) {
  const options = { cwd: home.cwd, env: { ...home.env, ...env }, stdio: 'pipe', windowsHide: true }
  for (let attempt = 1; ; attempt++) {
    try {
      return spawn(process.execPath, [main, ...args], options)
    } catch (error) {
      // Wine sometimes cannot start a process in the first seconds of a new prefix. The program has not run then.
      if (error.code !== 'UNKNOWN' || attempt === MAX_STARTS) throw error
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}

/** Runs a command and waits for its end. */
export async function run(home, args, { input = '', env } = {}) {
  const child = await start(home, args, env)
  return new Promise((resolve) => {
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text
      })
    }
    const timer = setTimeout(() => child.kill(), MAX_RUN_MS)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, ...output })
    })
    child.stdin.on('error', () => {}).end(input)
  })
}

/** Returns the JSON that a command prints. Throws with its output if it is not JSON. */
export async function runJson(home, args, options) {
  const { code, stdout, stderr } = await run(home, [...args, '--json'], options)
  try {
    return { code, ...JSON.parse(stdout) }
  } catch {
    throw new Error(`exit ${code}: ${stdout}${stderr}`)
  }
}

const clients = []

/** Ends the clients after the first `since` ones: those that a failed check has opened. */
export function endClients(since) {
  for (const child of clients.slice(since)) child.kill()
}

export const countClients = () => clients.length

/** A client of `serve` or `wrap` over the pipes of the process. */
export async function connect(home, args, env) {
  const child = await start(home, args, env)
  clients.push(child)
  child.stdin.on('error', () => {})
  const waiting = new Map()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line)
    waiting.get(id)?.({ result, error })
  })
  const request = (method, params = {}) => {
    const id = waiting.size + 1
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const answer = new Promise((resolve) => waiting.set(id, resolve))
    return within(MAX_RUN_MS, answer, () => `no answer to ${method}: ${stderr}`).then(({ result, error }) => {
      if (error !== undefined) throw new Error(`${method}: ${error.message}`)
      return result
    })
  }
  const clientInfo = { name: 'windows-checks', version: '1.0.0' }
  const hello = await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return {
    pid: child.pid,
    hello,
    request,
    /** Ends stdin and waits for the exit code. */
    close: () => {
      child.stdin.end()
      return within(MAX_RUN_MS, ended, () => `the program did not end: ${stderr}`)
    },
    /** Kills the process, like the task manager. */
    kill: () => {
      child.kill('SIGKILL')
      return ended
    },
  }
}

export async function within(ms, event, describe) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`after ${ms} ms: ${describe()}`)), ms)
  })
  try {
    return await Promise.race([event, late])
  } finally {
    clearTimeout(timer)
  }
}

export async function until(condition, describe, ms = 90_000) {
  const deadline = Date.now() + ms
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`after ${ms} ms: ${describe()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
