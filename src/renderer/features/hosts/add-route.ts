/** No host can have this name: names have no plus. */
export const ADD_ROUTE = '+add'
