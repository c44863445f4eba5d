/** The part of package.json that npm users see or that the build changes. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly type: string;
  readonly engines?: Readonly<Record<string, string>>;
}

/** The folder of what `require` gets. */
export const COMMON_JS = 'cjs';

const entryIn = (folder: string) => ({ types: `${folder}/index.d.ts`, default: `${folder}/index.js` });

/** Returns the package.json of the built package, which has no dependency and whose files lie beside it. */
export function publicManifest({ name, version, description, type, engines }: Manifest) {
  const required = entryIn(`./${COMMON_JS}`);
  return {
    name,
    version,
    description,
    type,
    sideEffects: false,
    exports: { '.': { import: entryIn('.'), require: required }, './package.json': './package.json' },
    // For resolvers that know no `exports`.
    main: required.default,
    types: required.types,
    engines,
  };
}
