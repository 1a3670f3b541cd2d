// Keeps the list of a server current in the background: asks the server again when its list is missing or too old.

import type { ServerLogin } from './auth/server-login.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Listing } from './listing.ts'
import type { Session } from './session.ts'
import type { UpstreamSettings } from './settings.ts'

interface RevalidationOptions {
  readonly listing: Listing
  readonly lifecycle: Lifecycle<Session>
  readonly login: ServerLogin
  readonly settings: UpstreamSettings
  readonly now: () => number
  /** Aborts when the source is closed. */
  readonly closed: AbortSignal
  /** Asks the running server for its list. */
  refresh(): void
}

interface Revalidation {
  /** Returns at once. A failed start is tried again a few times if the tools are unknown. */
  revalidate(): void
  /** Ends the pause after a failed start if the user has logged in since. */
  retryAfterLogin(): Promise<void>
  cancel(): void
}

export function createRevalidation(options: RevalidationOptions): Revalidation {
  const { listing, lifecycle, login, settings, now, closed, refresh } = options
  const { known } = listing
  const isStale = () =>
    known.isUnknown || (known.manifest !== undefined && now() - known.manifest.fetchedAt > settings.ttlMs)
  const retryAfterLogin = async () => {
    if (await login.hasNewLogin(lifecycle.state())) lifecycle.endPause()
  }
  const tryLater = () => {
    // A server with a manifest is not started again until it is needed.
    if (closed.aborted || known.manifest !== undefined) return
    retries.schedule(Math.max(0, (lifecycle.state().retryAt ?? 0) - now()))
  }
  const revalidateLoaded = () => {
    if (!isStale() || closed.aborted || listing.refreshing !== undefined) return
    if (lifecycle.running !== undefined) return refresh()
    void retryAfterLogin()
      .then(() =>
        known.once(isStale, async () => {
          await lifecycle.ensure(closed)
          await listing.refreshing
        }),
      )
      .catch(tryLater)
  }
  // The manifest must be loaded first to know whether it is fresh.
  const revalidate = () =>
    known.manifest === undefined ? void known.load().then(revalidateLoaded) : revalidateLoaded()
  const retries = createRetries(settings.backgroundTries, revalidate)
  return { revalidate, retryAfterLogin, cancel: () => retries.cancel() }
}

/** A limited number of retries in the background, one at a time. A waiting retry does not keep the process alive. */
interface Retries {
  /** Has no effect while another retry waits, or when no try is left. */
  schedule(waitMs: number): void
  cancel(): void
}

function createRetries(tries: number, retry: () => void): Retries {
  let left = tries
  let timer: NodeJS.Timeout | undefined
  return {
    schedule(waitMs) {
      if (timer !== undefined || left === 0) return
      left--
      timer = setTimeout(() => {
        timer = undefined
        retry()
      }, waitMs + 1)
      timer.unref()
    },
    cancel() {
      clearTimeout(timer)
    },
  }
}
