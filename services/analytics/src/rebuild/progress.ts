import { Presets, SingleBar } from 'cli-progress';

/** Shows how far a rebuild is. */
export interface Progress {
  /** A project begins, which is expected to have about so many records. */
  begin(name: string, expected: number): void;
  advance(count: number): void;
  end(): void;
  say(line: string): void;
}

/** Lines are written at least so many records apart. */
const LINE_EVERY = 10_000;

/** A bar on a terminal, plain lines elsewhere. */
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
    begin: (name, total) => {
      done = 0;
      expected = total;
      bar.start(total, 0, { name });
    },
    advance: count => {
      done += count;
      if (done > expected) bar.setTotal((expected = done));
      bar.update(done);
    },
    end: () => {
      bar.setTotal(done);
      bar.update(done);
      bar.stop();
    },
    say: line => out.write(`${line}\n`),
  };
}

function linesOn(out: NodeJS.WriteStream): Progress {
  const say = (line: string) => void out.write(`${line}\n`);
  let [name, expected, done] = ['', 0, 0];
  return {
    begin: (next, total) => {
      [name, expected, done] = [next, total, 0];
      say(`${name}: about ${expected} records`);
    },
    advance: count => {
      const isDue = Math.floor((done + count) / LINE_EVERY) > Math.floor(done / LINE_EVERY);
      done += count;
      if (isDue) say(`${name}: ${done} of about ${Math.max(expected, done)} records`);
    },
    end: () => say(`${name}: rebuilt from ${done} records`),
    say,
  };
}
