// Asks for the token of the gateway.

import { useEffect, useRef, useState } from 'preact/hooks'
import { logIn } from '../gateway/session.ts'

export function LoginView({ isWrong }: { readonly isWrong: boolean }) {
  const [token, setToken] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    document.title = 'Log in · Toolcrib'
    field.current?.focus()
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    if (token.trim() !== '') logIn(token.trim())
  }
  return (
    <main class="login">
      <form class="card stack" onSubmit={submit}>
        <div class="brand">
          <img src="./favicon.svg" alt="" width="28" height="28" />
          Toolcrib
        </div>
        <h1>{isWrong ? 'The gateway does not accept this token' : 'Log in to the gateway'}</h1>
        {isWrong && (
          <div class="notice notice-bad" role="alert">
            The token is wrong, has expired, or was removed. Enter another one.
          </div>
        )}
        <div class="field">
          <label for="token">Token</label>
          <input
            id="token"
            ref={field}
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            aria-describedby="token-help"
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
          <p id="token-help" class="quiet">
            If the config has <code>http.tokens</code> or <code>http.oauth</code>, use a token from{' '}
            <code>http.tokens</code> or of <code>toolcrib token add</code>. Otherwise, <code>toolcrib inspector</code>{' '}
            opens this page with your token, and <code>toolcrib serve --http</code> prints the token or the path of its
            file. This tab keeps the token until you close it.
          </p>
        </div>
        <button type="submit" class="button button-main">
          Log in
        </button>
      </form>
    </main>
  )
}
