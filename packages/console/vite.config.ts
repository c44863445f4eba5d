import { defineConfig } from 'vite';

const GATEWAY = 'http://localhost:8080';

export default defineConfig({
  build: {
    target: 'es2023',
    // The page's policy allows files of its own origin only, no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 420,
    rolldownOptions: {
      onLog(level, log, report) {
        // `use client` in libraries is for server components, which the console has none of.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
  // `npm run dev` beside a running system. Its sign-in accepts its own origin only, so the proxy shows that one.
  server: { proxy: { '/api': { target: GATEWAY, changeOrigin: true, headers: { origin: GATEWAY } } } },
});
