/** The queue of the jobs, one for each event and endpoint. */
export const QUEUE = 'deliveries';
