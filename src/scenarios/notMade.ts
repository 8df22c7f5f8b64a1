/** What a target is told of a call that a gate denied. */
export const deniedCall = (tool: string): string => `Denied: this call of ${tool} is not permitted.`;

/** What it is told of a call of a tool that is not offered. */
export const unknownTool = (tool: string): string => `Error: there is no tool ${tool}.`;

/** Whether what came back says that the call was not made. */
export const isNotMade = (returned: string, tool: string): boolean =>
  returned === deniedCall(tool) || returned === unknownTool(tool);
