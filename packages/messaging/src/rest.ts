export {
  LONG_LINGER as LONG_REST,
  SHORT_LINGER as SHORT_REST,
  lingerAfter as restAfter,
  type Linger as Rest,
} from '@billing/service/linger';
