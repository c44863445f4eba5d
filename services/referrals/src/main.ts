import { runService } from '@billing/chassis/run-service';
import { referralsService } from './service.ts';

await runService(referralsService());
