import { expect, it } from 'vitest';
import { junitXml } from './junit.ts';
import type { Step } from './rehearsal.ts';

const EXPECT: Step = { do: 'expect', customer: 'ada', subscription: { status: 'active' } };
const at = '2030-01-31T12:00:00.000Z';

it('has a test case for each expectation, and one for a step that could not be taken', () => {
  const nothing = { at, events: [], differences: [], error: null };
  const differences = [
    { path: 'invoices.paid', expected: '1', actual: '0' },
    { path: 'invoices.open', expected: '0', actual: '1' },
  ];
  const xml = junitXml('A "year" & more', [
    { ...nothing, step: { do: 'advance', by: '1 month' } },
    { ...nothing, step: EXPECT },
    { ...nothing, step: EXPECT, differences },
    { ...nothing, step: { do: 'resume', customer: 'ada' }, error: 'Not <paused>\u0007.' },
  ]);
  expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="1">
  <testsuite name="A &quot;year&quot; &amp; more" tests="3" failures="1" errors="1">
    <testcase classname="A &quot;year&quot; &amp; more" name="2. 2030-01-31 expect ada: subscription.status active"/>
    <testcase classname="A &quot;year&quot; &amp; more" name="3. 2030-01-31 expect ada: subscription.status active"><failure message="invoices.paid: expected 1, actual 0">invoices.paid: expected 1, actual 0
invoices.open: expected 0, actual 1</failure></testcase>
    <testcase classname="A &quot;year&quot; &amp; more" name="4. 2030-01-31 resume ada"><error message="Not &lt;paused&gt;."/></testcase>
  </testsuite>
</testsuites>
`);
});
