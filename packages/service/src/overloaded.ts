import { unavailable, type Problem } from '@billing/contracts/problem';

/** Whether writes are refused at the moment. */
export type IsOverloaded = () => boolean;

/** 503: too many facts wait to be published for a write to add to them; it was not begun. */
export function overloaded(): Problem {
  return unavailable(
    'No writes are taken at the moment: too many changes wait to be passed on. Nothing was changed; send the request again later.',
    5,
  );
}
