/** The pair `name=value` of one cookie of a `Cookie` header, alone; undefined when it is not there. */
export function cookieNamed(name: string, header: string | undefined): string | undefined {
  return header?.split(/; */).find(pair => pair.startsWith(`${name}=`));
}
