import { AuditRecorded } from '@billing/contracts/events/audit';
import { expect, it } from 'vitest';
import { openProject } from './project.ts';
import { startService } from './service.ts';

it('records each change of the program, codes and referrals with its caller', async () => {
  await using service = await startService();
  const project = openProject(service);
  const { projectId } = project.scope;
  const [referrer, referee] = [project.newCustomer().id, project.newCustomer().id];
  await project.configure();
  await project.configure({ referrerCreditAmount: 700 });
  const create = () => project.request('POST', '/codes', { customerId: referrer }, 'once');
  const { code } = (await create()).body.code;
  await create();
  const { referral } = (await project.apply(code, referee)).body;
  expect((await project.apply(code, referee)).status).toBe(409);
  for (let count = 0; count < 2; count += 1) await project.request('DELETE', `/codes/${code}`);

  const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
  const change = (field: string, from: unknown, to: unknown) => ({ field, from, to });
  const [config, ofCode] = [
    { type: 'referral_config', id: projectId },
    { type: 'referral_code', id: code },
  ];
  expect(entries).toMatchObject([
    {
      action: 'updateReferralConfig',
      actor: { type: 'key' },
      projectId,
      target: config,
      changes: [
        change('enabled', null, true),
        change('referrerCreditAmount', null, 500),
        change('refereeCreditAmount', null, 300),
        change('currency', null, 'usd'),
      ],
    },
    { action: 'updateReferralConfig', target: config, changes: [change('referrerCreditAmount', 500, 700)] },
    { action: 'createReferralCode', target: ofCode, changes: [change('customerId', null, referrer)] },
    {
      action: 'applyReferral',
      target: { type: 'referral', id: referral.id },
      changes: [
        change('code', null, code),
        change('referrerCustomerId', null, referrer),
        change('refereeCustomerId', null, referee),
      ],
    },
    { action: 'deactivateReferralCode', target: ofCode, changes: [change('isActive', true, false)] },
    { action: 'deactivateReferralCode', target: ofCode, changes: [] },
  ]);
});
