/** Returns a path of this site to return to; nothing that a browser would take for another site. */
export function safePath(path: string | undefined): string | undefined {
  return path !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : undefined;
}
