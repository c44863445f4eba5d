import { runService } from '@billing/service/run-service';
import { customersService } from './service.ts';

await runService(customersService());
