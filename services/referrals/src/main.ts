import { runService } from '@billing/service/run-service';
import { referralsService } from './service.ts';

await runService(referralsService());
