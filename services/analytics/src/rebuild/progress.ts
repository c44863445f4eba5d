import { Presets, SingleBar } from 'cli-progress';

/** Shows the progress of a rebuild, project by project. */
export interface Progress {
  /** Starts a project with an estimated number of records. */
  start(name: string, expected: number): void;
  advance(count: number): void;
  finish(): void;
  print(line: string): void;
}

/** Records between two lines of plain output. */
const LINE_EVERY = 10_000;

/** A progress bar on a terminal, plain lines elsewhere. */
export function showProgress(out: NodeJS.WriteStream): Progress {
  return out.isTTY ? barOn(out) : linesOn(out);
}

function barOn(out: NodeJS.WriteStream): Progress {
  const bar = new SingleBar(
    { stream: out, format: '{name} {bar} {value}/{total} records · {eta_formatted} left', hideCursor: true },
    Presets.shades_classic,
  );
  let done = 0;
  let expected = 0;
  return {
    start: (name, total) => {
      done = 0;
      expected = total;
      bar.start(total, 0, { name });
    },
    advance: count => {
      done += count;
      if (done > expected) bar.setTotal((expected = done));
      bar.update(done);
    },
    finish: () => {
      bar.setTotal(done);
      bar.update(done);
      bar.stop();
    },
    print: line => out.write(`${line}\n`),
  };
}

function linesOn(out: NodeJS.WriteStream): Progress {
  const print = (line: string) => void out.write(`${line}\n`);
  let [name, expected, done] = ['', 0, 0];
  return {
    start: (next, total) => {
      [name, expected, done] = [next, total, 0];
      print(`${name}: about ${expected} records`);
    },
    advance: count => {
      const isDue = Math.floor((done + count) / LINE_EVERY) > Math.floor(done / LINE_EVERY);
      done += count;
      if (isDue) print(`${name}: ${done} of about ${Math.max(expected, done)} records`);
    },
    finish: () => print(`${name}: rebuilt from ${done} records`),
    print,
  };
}
