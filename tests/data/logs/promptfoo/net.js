// a provider without a server: one right answer, one wrong one, one error
module.exports = class {
  id() { return 'one'; }
  async callApi(prompt) {
    if (prompt.includes('boom')) return { error: 'no server' };
    return { output: prompt.includes('60') ? '155' : '1235', cost: 0.002, latencyMs: 20 };
  }
};
