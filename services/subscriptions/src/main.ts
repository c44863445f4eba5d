import { runService } from '@billing/service/run-service';
import { subscriptionsService } from './service.ts';

await runService(subscriptionsService());
