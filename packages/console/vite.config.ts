import { defineConfig } from 'vite';

const GATEWAY = 'http://localhost:8080';

export default defineConfig({
  build: {
    target: 'es2023',
    // The page's policy allows files of its own origin only, no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The libraries' few styles are no request of their own.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 420,
    rolldownOptions: {
      output: {
        // A page loads itself and what pages share in a few files, not each shared module in one of its own.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'libraries', test: /node_modules\/(?!uqr)|packages\/(?:client|contracts)\//, priority: 3 },
            // What only pages with lists and forms need.
            {
              name: 'lists',
              test: /console\/src\/(?:layout\/(?:csv|cursor-|data-|export|list-|paged-|records|row-|table-rows|use-columns|use-list)|resource\/(?:tables|fields|write)|ui\/(?:csv|parse-money|metadata|amount-field|money-fields|details|open-in|stripe|use-visible))/,
              priority: 2,
            },
            {
              name: 'shared',
              test: /console\/src\/(?:api|layout|resource|ui|pages\/(?:subscriptions\/cancellation-reasons|customers\/customer-name|products\/product-name|failing-payments\/dunning-sums))/,
              minShareCount: 2,
              priority: 1,
            },
            { name: 'figures', test: /console\/src\/pages\/overview/, minShareCount: 2, priority: 1 },
            { name: 'pages', test: /console\/src\/pages\/(?!sign-in)/, minShareCount: 2 },
          ],
        },
      },
      onLog(level, log, report) {
        // `use client` in libraries is for server components, which the console has none of.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
  // `npm run dev` beside a running system. Its sign-in accepts its own origin only, so the proxy shows that one.
  server: { proxy: { '/api': { target: GATEWAY, changeOrigin: true, headers: { origin: GATEWAY } } } },
});
