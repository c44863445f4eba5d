/** Returns a path of this site to return to; nothing that a browser would take for another site. */
export function safePath(path: string | undefined): string | undefined {
  if (path === undefined || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(path)) return undefined;
  // Also not after dots are resolved, as in `/.//other.example`.
  const { origin, pathname } = new URL(path, HERE);
  return origin === HERE && !path.startsWith('//') && !pathname.startsWith('//') ? path : undefined;
}

const HERE = 'https://this.invalid';
