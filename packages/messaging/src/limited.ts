export { semaphore as limited } from './semaphore.ts';
