import { expect, it } from 'vitest';
import { withLocalTimes } from './time.tsx';

it('writes the times in a sentence as the locale does', () => {
  const text = withLocalTimes('0 differences at 2026-03-02T10:00:00.123Z, not 2026-10-28.endive.');
  expect(text).toMatch(/^0 differences at .*2026.*, not 2026-10-28\.endive\.$/);
  expect(text).not.toContain('T10:00');
});
