/** The size of the pages that are read of the processor's lists, the largest it allows. A smaller page is the last one. */
export const PAGE_SIZE = 100;
