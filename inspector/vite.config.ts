// Builds the inspector page into dist/inspector, from which the gateway serves it.

import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses: the page also works below `http.basePath`.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/inspector',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The page has one lazy chunk, so a helper that preloads chunks would cost more than it saves.
    modulePreload: false,
    // A `data:` address in a stylesheet would need another exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
