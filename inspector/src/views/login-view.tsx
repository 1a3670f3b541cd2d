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
            Use a token of <code>http.tokens</code> or of <code>toolcrib token add</code>. Without{' '}
            <code>http.tokens</code> and <code>http.oauth</code> in the config, <code>toolcrib serve --http</code> also
            prints an address with a token, or the path of the file with the token. This tab keeps the token until you
            close it.
          </p>
        </div>
        <button type="submit" class="button button-main">
          Log in
        </button>
      </form>
    </main>
  )
}
