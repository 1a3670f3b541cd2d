// A real nginx on loopback with a configuration of examples/deploy.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished, vi } from 'vitest'
import { removeFolder } from '../../src/storage/remove-folder.fixture.ts'
import { freePort } from '../fixtures/fleet/redis-server.ts'

export interface NginxOptions {
  /** A file in examples/deploy. */
  readonly file: string
  /** The port of the gateway. */
  readonly gatewayPort: number
  /** The certificate. Without it, the lines for TLS are left out and the rest stays. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** Starts nginx for one test. Only addresses and the lines for TLS are changed in the file. */
export async function startNginx({ file, gatewayPort, tls }: NginxOptions): Promise<{ readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-nginx-'))
  const port = await freePort()
  const text = readFileSync(fileURLToPath(new URL(`../../examples/deploy/${file}`, import.meta.url)), 'utf8')
  const site = text
    .replace(/listen (?:443 ssl|80);/, `listen 127.0.0.1:${port}${tls === undefined ? '' : ' ssl'};`)
    .replaceAll('127.0.0.1:3100', `127.0.0.1:${gatewayPort}`)
    .replace(/^ *ssl_certificate .*$/m, tls === undefined ? '' : `ssl_certificate ${tls.cert};`)
    .replace(/^ *ssl_certificate_key .*$/m, tls === undefined ? '' : `ssl_certificate_key ${tls.key};`)
  for (const name of ['body', 'proxy', 'other']) mkdirSync(join(folder, name))
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 256; }
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/other; uwsgi_temp_path ${folder}/other; scgi_temp_path ${folder}/other;
  ${site}
}`,
  )
  const child = spawn('nginx', ['-e', join(folder, 'error.log'), '-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    await removeFolder(folder)
  })
  await vi
    .waitUntil(() => isListening(port), { timeout: 10_000, interval: 20 })
    .catch(() => {
      throw new Error(`nginx did not start: ${readFileSync(join(folder, 'error.log'), 'utf8')}`)
    })
  return { port }
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  }).finally(() => socket.destroy()) as Promise<boolean> // `finally` keeps the value
}
