import { join, relative, sep } from 'node:path';
import { SERVICES } from '@billing/contracts/operation';
import { defineConfig, type Plugin } from 'rolldown';

const DEPENDENCY = /[\\/]node_modules[\\/]/;
const DEPENDENCIES = 'dependencies';

/**
 * Bundles the programs of the system: `dist/<service>.js` is `services/<service>/src/main.ts` with what it imports. A program
 * of a few files starts in a third of the time that its thousand modules take. From its sources it does the same.
 */
export default defineConfig({
  input: {
    ...Object.fromEntries(SERVICES.map(service => [service, `../../services/${service}/src/main.ts`])),
    'local-processor': '../local-processor/src/main.ts',
  },
  platform: 'node',
  // pdfkit reads its fonts beside itself; the SDK is loaded only where telemetry is exported; nobody installs pg-native.
  external: ['pdfkit', /^@opentelemetry\/(sdk|instrumentation)-/, 'pg-native'],
  plugins: [keepSourceUrls(), mapOwnCodeAlone()],
  output: {
    // Our own code in one folder: see keepSourceUrls.
    dir: 'dist',
    cleanDir: true,
    // Node warns of what is deprecated unless it is used below node_modules. Their names would list the programs that load them.
    chunkFileNames: ({ name }) =>
      name.startsWith(DEPENDENCIES) ? `node_modules/${DEPENDENCIES}-[hash].mjs` : '[name]-[hash].js',
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    codeSplitting: { groups: [{ name: DEPENDENCIES, test: DEPENDENCY, entriesAware: true }] },
  },
});

/** Deletes the source maps of dependencies: Node reads each map at every start. */
function mapOwnCodeAlone(): Plugin {
  return {
    name: 'map-own-code-alone',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !chunk.name.startsWith(DEPENDENCIES)) continue;
        delete bundle[`${chunk.fileName}.map`];
        chunk.code = chunk.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '');
      }
    },
  };
}

/** A module that reads files beside itself finds them beside its source: its `import.meta.url` stays that of its source. */
function keepSourceUrls(): Plugin {
  return {
    name: 'keep-source-urls',
    transform: {
      filter: { id: { exclude: DEPENDENCY }, code: 'import.meta.' },
      handler(code, id) {
        if (/import\.meta\.(dirname|filename)\b/.test(code))
          this.error('A bundled module can only use import.meta.url.');
        const source = JSON.stringify(
          relative(join(import.meta.dirname, 'dist'), id)
            .split(sep)
            .join('/'),
        );
        return { code: code.replaceAll('import.meta.url', `new URL(${source}, import.meta.url).href`), map: null };
      },
    },
  };
}
