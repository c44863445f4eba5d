// Preloaded into a service: shifts `Date` by the milliseconds in the file `CLOCK_SKEW_FILE`.
import { readFileSync } from 'node:fs';

const RealDate = Date;
const aheadMs = Number(readFileSync(process.env['CLOCK_SKEW_FILE'] ?? '', 'utf8'));
const now = () => RealDate.now() + aheadMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
