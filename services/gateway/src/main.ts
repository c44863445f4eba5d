import { runService } from '@billing/service/run-service';
import { gatewayService } from './service.ts';

await runService(gatewayService());
