/** Records between two lines. */
const LINE_EVERY = 10_000;

/** Shows the progress of a rebuild, project by project, in plain lines. */
export function showProgress(out: NodeJS.WritableStream) {
  const print = (line: string) => void out.write(`${line}\n`);
  let [name, expected, done] = ['', 0, 0];
  return {
    /** Starts a project with an estimated number of records. */
    start: (next: string, total: number) => {
      [name, expected, done] = [next, total, 0];
      print(`${name}: about ${expected} records`);
    },
    advance: (count: number) => {
      const isDue = Math.floor((done + count) / LINE_EVERY) > Math.floor(done / LINE_EVERY);
      done += count;
      if (isDue) print(`${name}: ${done} of about ${Math.max(expected, done)} records`);
    },
    finish: () => print(`${name}: rebuilt from ${done} records`),
    print,
  };
}
