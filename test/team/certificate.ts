// Certificates for tests, made by openssl.

import { execFileSync } from 'node:child_process'

/** Makes a certificate for a host in the files `prefix.crt` and `prefix.key`. Its subject is the last part of `prefix`. */
export function createCertificate(
  prefix: string,
  host = 'tools.example.com',
): { readonly cert: string; readonly key: string } {
  const [cert, key] = [`${prefix}.crt`, `${prefix}.key`]
  const subject = prefix.split('/').at(-1) ?? ''
  const args = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${subject}`
  const names = ['-addext', `subjectAltName=DNS:${host}`, '-keyout', key, '-out', cert]
  execFileSync('openssl', [...args.split(' '), ...names], { stdio: 'ignore' })
  return { cert, key }
}
