import { runService } from '@billing/chassis/run-service';
import { analyticsService } from './service.ts';

await runService(analyticsService());
