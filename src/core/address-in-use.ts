// The error of a server that cannot listen, because another process uses its address.

interface AddressUser {
  readonly pid: number
  /** The URL of its MCP endpoint. */
  readonly url: string
}

export class AddressInUse extends Error {
  override readonly name = 'AddressInUse'
  /** The error code of Node, which programs check. */
  readonly code = 'EADDRINUSE'
  /** The host and the port. */
  readonly address: string
  /** The gateway that uses the address, if it is known. */
  readonly user: AddressUser | undefined

  constructor(address: string, { cause, user }: { readonly cause?: unknown; readonly user?: AddressUser } = {}) {
    super(`${address} is in use by another program. Set the option \`port\` to another port; 0 takes any free one.`, {
      cause,
    })
    this.address = address
    this.user = user
  }
}
