/** Where `npm run build` puts the console; absent before the first build. */
export const DIST_FOLDER = new URL('dist/', import.meta.url);
