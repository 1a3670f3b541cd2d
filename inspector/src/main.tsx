// Starts the inspector page.

import { render } from 'preact'
import 'uplot/dist/uPlot.min.css'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/parts.css'
import './style/views.css'
import './style/form.css'
import './style/touch.css'
import { App } from './app.tsx'
import { takeTokenFromAddress } from './gateway/token.ts'
import { applyTheme } from './theme.ts'

takeTokenFromAddress()
applyTheme()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
