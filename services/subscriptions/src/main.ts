import { runService } from '@billing/chassis/run-service';
import { subscriptionsService } from './service.ts';

await runService(subscriptionsService());
