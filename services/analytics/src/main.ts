import { runService } from '@billing/service/run-service';
import { analyticsService } from './service.ts';

await runService(analyticsService());
