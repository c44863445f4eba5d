/** The part of package.json that npm users see or that the build changes. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly type: string;
  readonly engines?: Readonly<Record<string, string>>;
}

/** Returns the package.json of the built package, which has no dependency and whose files lie beside it. */
export function publicManifest({ name, version, description, type, engines }: Manifest) {
  return {
    name,
    version,
    description,
    type,
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    types: './index.d.ts',
    engines,
  };
}
