import { runService } from '@billing/service/run-service';
import { catalogService } from './service.ts';

await runService(catalogService());
