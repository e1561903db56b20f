// The part of the MongoDB 4.4 shell that is written in JavaScript: db, collections, cursors, users, printing.
// It has no way out but __call, which asks for a command's reply; see javascript.py for how that is answered.
"use strict";
var __r, __replies = [], __asked = 0, __pending = null, __output = [], __exit = null, __frames = [], __last = null;
var __version = "4.4.6", __host = "127.0.0.1:27017", __SUSPEND = { suspended: true };
{ // time and chance are another thing in each run: __looked says whether the script has seen either
  let now = 0, entropy = 1, looked = false;
  Object.defineProperties(globalThis, {
    __now: { enumerable: true, get() { looked = true; return now; }, set(value) { now = value; } },
    __entropy: { enumerable: true, get() { looked = true; return entropy; }, set(value) { entropy = value; } },
    __looked: { get() { return looked; } },
  });
}

(function (global) {
  const RealDate = Date;
  class ShellDate extends RealDate {
    constructor(...a) { if (a.length) super(...a); else super(__now); }
    static now() { return __now; }
    toJSON() { return { $date: this.toISOString() }; }
    tojson() { return 'ISODate("' + this.toISOString().replace(/\.000Z$/, "Z") + '")'; }
  }
  global.Date = ShellDate;
  global.ISODate = (s) => (s === undefined ? new ShellDate() : new ShellDate(s));
  Math.random = () => { __entropy = (__entropy * 48271) % 2147483647; return __entropy / 2147483647; };
  const hex = (n) => { let s = ""; while (s.length < n) s += Math.floor(Math.random() * 16).toString(16); return s; };

  function plain(make) { return new Proxy(make, { apply: (f, _, a) => new f(...a) }); }
  global.ObjectId = plain(class ObjectId {
    constructor(s) { this.str = s === undefined ? Math.floor(__now / 1000).toString(16).padStart(8, "0") + hex(16) : String(s); }
    toJSON() { return { $oid: this.str }; }
    tojson() { return 'ObjectId("' + this.str + '")'; }
    toString() { return this.tojson(); }
    valueOf() { return this.str; }
    equals(o) { return o && this.str === o.str; }
    getTimestamp() { return new ShellDate(parseInt(this.str.slice(0, 8), 16) * 1000); }
  });
  global.ObjectID = global.ObjectId;
  global.NumberLong = plain(class NumberLong {
    constructor(n) { this.n = String(n === undefined ? 0 : n); }
    toJSON() { return { $numberLong: this.n }; }
    tojson() { return Number.isSafeInteger(+this.n) && Math.abs(+this.n) < 2 ** 31 ? "NumberLong(" + this.n + ")" : 'NumberLong("' + this.n + '")'; }
    toNumber() { return Number(this.n); }
    valueOf() { return Number(this.n); }
    toString() { return this.tojson(); }
  });
  global.UUID = plain(class UUID {
    constructor(s) { this.s = s || hex(8) + "-" + hex(4) + "-4" + hex(3) + "-a" + hex(3) + "-" + hex(12); }
    toJSON() { return { $uuid: this.s }; }
    tojson() { return 'UUID("' + this.s + '")'; }
  });
  global.NumberInt = (n) => Math.trunc(Number(n));
  global.NumberDecimal = (n) => Number(n);
  global.Timestamp = (t, i) => ({ t: t || 0, i: i || 0 });

  function revive(_, v) {
    if (v === null || typeof v !== "object" || Array.isArray(v)) return v;
    if ("$oid" in v) return new ObjectId(v.$oid);
    if ("$date" in v) return new ShellDate(v.$date);
    if ("$numberLong" in v) return new NumberLong(v.$numberLong);
    if ("$uuid" in v) return new UUID(v.$uuid);
    return v;
  }
  function pack(_, v) {
    if (v instanceof RegExp) return { $regularExpression: { pattern: v.source, options: v.flags } };
    return v === undefined ? null : v;
  }
  global.__call = function (database, command) {
    const at = __asked++;
    if (at < __replies.length) return JSON.parse(__replies[at], revive);
    if (__pending === null) __pending = JSON.stringify([database, command], pack);
    throw __SUSPEND;
  };

  // ---- printing
  global.print = (...a) => { __output.push(a.map((x) => (x === null ? "null" : x === undefined ? "undefined" : typeof x === "object" && x.tojson ? x.tojson() : String(x))).join(" ")); };
  global.tojsononeline = (x) => tojson(x, " ", true);
  global.tojson = function (x, indent, nolint) {
    if (x === null) return "null";
    if (x === undefined) return "undefined";
    if (typeof x === "string") return JSON.stringify(x).replace(/[\u007f-\uffff]/g, (c) => c);
    if (typeof x === "number" || typeof x === "boolean") return String(x);
    if (typeof x === "function") return x.toString();
    if (typeof x !== "object") return String(x);
    const s = many(x, indent || "", nolint);
    const short = (nolint === undefined || nolint === null || nolint === true) && s.length < 80 && (!indent || indent.length === 0);
    return short ? s.replace(/[\t\r\n]+/gm, " ") : s;
  };
  function many(x, indent, nolint) {
    const end = nolint ? " " : "\n", tab = nolint ? "" : "\t";
    if (typeof x.tojson === "function") return x.tojson(indent, nolint);
    if (x instanceof Error) return x.toString();
    if (x instanceof RegExp) return x.toString();
    if (nolint) indent = "";
    const inner = indent + tab;
    if (Array.isArray(x)) {
      if (!x.length) return "[ ]";
      return "[" + end + x.map((v) => inner + tojson(v, inner, nolint || false)).join("," + end) + end + indent + "]";
    }
    const keys = Object.keys(x).filter((k) => typeof x[k] !== "function");
    if (!keys.length) return "{" + end + indent + "}";
    return "{" + end + keys.map((k) => inner + JSON.stringify(k) + " : " + tojson(x[k], inner, nolint || false)).join("," + end) + end + indent + "}";
  }
  global.printjson = (x) => print(tojson(x));
  global.printjsononeline = (x) => print(tojsononeline(x));
  global.__show = function (x) {
    if (x === undefined) return;
    if (typeof x === "string") print(x);
    else if (x && typeof x.shellPrint === "function") x.shellPrint();
    else if (x && x.constructor === DBCollection) print(x.toString());
    else print(tojson(x));
  };

  // ---- errors
  global._getErrorWithCode = function (reply, message) {
    const e = new Error(message);
    if (reply && typeof reply === "object") { e.code = reply.code; e.codeName = reply.codeName; }
    return e;
  };
  function fail(reply, message, ...frames) {
    __frames = ["_getErrorWithCode@src/mongo/shell/utils.js:25:13", ...frames];
    const e = _getErrorWithCode(reply, message);
    __last = e;
    throw e;
  }
  global.__framesOf = () => __frames;

  // ---- databases
  class DB {
    constructor(name) {
      this._name = name;
      return new Proxy(this, { get: (t, k) => (k in t || typeof k === "symbol" ? t[k] : new DBCollection(t, String(k))) });
    }
    getName() { return this._name; }
    toString() { return this._name; }
    tojson() { return this._name; }
    shellPrint() { print(this._name); }
    getMongo() { return mongo; }
    getSiblingDB(n) { return new DB(n); }
    getSisterDB(n) { return new DB(n); }
    getCollection(n) { return new DBCollection(this, n); }
    runCommand(c, extra) {
      const command = typeof c === "string" ? { [c]: 1, ...(extra || {}) } : c;
      return __call(this._name, { ...command, $db: this._name });
    }
    adminCommand(c) { return new DB("admin").runCommand(c); }
    _adminCommand(c) { return this.adminCommand(c); }
    auth(user, pwd) {
      const c = typeof user === "object" ? user : { user, pwd };
      const r = __call(this._name, { authenticate: 1, user: c.user, pwd: c.pwd });
      if (r.ok) return 1;
      print("Error: " + r.errmsg);
      return 0;
    }
    logout() { return __call(this._name, { logout: 1 }); }
    createUser(u) {
      const c = { createUser: u.user, ...u }; delete c.user;
      const r = this.runCommand(c);
      if (!r.ok) fail(r, "couldn't add user: " + r.errmsg, "DB.prototype.createUser@src/mongo/shell/db.js:1386:11");
      const shown = { ...u }; delete shown.pwd;
      print("Successfully added user: " + tojson(shown));
    }
    updateUser(name, u) {
      const r = this.runCommand({ updateUser: name, ...u });
      if (!r.ok) fail(r, "Updating user failed: " + r.errmsg, "DB.prototype.updateUser@src/mongo/shell/db.js:1457:15");
    }
    changeUserPassword(name, pwd) { this.updateUser(name, { pwd }); }
    dropUser(name) {
      const r = this.runCommand({ dropUser: name });
      if (r.ok) return true;
      if (r.code === 11) return false;
      fail(r, r.errmsg, "DB.prototype.dropUser@src/mongo/shell/db.js:1539:11");
    }
    removeUser(name) { print("WARNING: db.removeUser has been deprecated, please use db.dropUser instead"); return this.dropUser(name); }
    dropAllUsers() { const r = this.runCommand({ dropAllUsersFromDatabase: 1 }); if (!r.ok) fail(r, r.errmsg, "DB.prototype.dropAllUsers@src/mongo/shell/db.js:1553:15"); return r.n; }
    grantRolesToUser(name, roles) {
      const r = this.runCommand({ grantRolesToUser: name, roles });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.grantRolesToUser@src/mongo/shell/db.js:1594:15");
    }
    revokeRolesFromUser(name, roles) {
      const r = this.runCommand({ revokeRolesFromUser: name, roles });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.revokeRolesFromUser@src/mongo/shell/db.js:1606:15");
    }
    getUser(name, o) {
      const r = this.runCommand({ usersInfo: { user: name, db: this._name }, ...(o || {}) });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.getUser@src/mongo/shell/db.js:1620:15");
      return r.users.length ? r.users[0] : null;
    }
    getUsers(o) {
      const r = this.runCommand({ usersInfo: 1, ...(o || {}) });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.getUsers@src/mongo/shell/db.js:1644:15");
      return r.users;
    }
    createRole(role) {
      const c = { createRole: role.role, ...role }; delete c.role;
      const r = this.runCommand(c);
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.createRole@src/mongo/shell/db.js:1659:15");
      return role;
    }
    updateRole(name, role) {
      const r = this.runCommand({ updateRole: name, ...role });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.updateRole@src/mongo/shell/db.js:1673:15");
    }
    dropRole(name) {
      const r = this.runCommand({ dropRole: name });
      if (r.ok) return true;
      if (r.code === 31) return false;
      fail(r, r.errmsg, "DB.prototype.dropRole@src/mongo/shell/db.js:1692:11");
    }
    dropAllRoles() {
      const r = this.runCommand({ dropAllRolesFromDatabase: 1 });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.dropAllRoles@src/mongo/shell/db.js:1706:15");
      return r.n;
    }
    grantRolesToRole(name, roles) {
      const r = this.runCommand({ grantRolesToRole: name, roles });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.grantRolesToRole@src/mongo/shell/db.js:1719:15");
    }
    revokeRolesFromRole(name, roles) {
      const r = this.runCommand({ revokeRolesFromRole: name, roles });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.revokeRolesFromRole@src/mongo/shell/db.js:1732:15");
    }
    grantPrivilegesToRole(name, privileges) {
      const r = this.runCommand({ grantPrivilegesToRole: name, privileges });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.grantPrivilegesToRole@src/mongo/shell/db.js:1746:15");
    }
    revokePrivilegesFromRole(name, privileges) {
      const r = this.runCommand({ revokePrivilegesFromRole: name, privileges });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.revokePrivilegesFromRole@src/mongo/shell/db.js:1760:15");
    }
    getRole(name, o) {
      const r = this.runCommand({ rolesInfo: { role: name, db: this._name }, ...(o || {}) });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.getRole@src/mongo/shell/db.js:1779:15");
      return r.roles[0] || null;
    }
    getRoles(o) {
      const r = this.runCommand({ rolesInfo: 1, ...(o || {}) });
      if (!r.ok) fail(r, r.errmsg, "DB.prototype.getRoles@src/mongo/shell/db.js:1803:15");
      return r.roles;
    }
    getCollectionNames() {
      const r = this.runCommand({ listCollections: 1, nameOnly: true });
      if (!r.ok) fail(r, "listCollections failed: " + tojson(r), "DB.prototype._getCollectionInfosCommand@src/mongo/shell/db.js:748:15", "DB.prototype.getCollectionNames@src/mongo/shell/db.js:803:16");
      return r.cursor.firstBatch.map((c) => c.name);
    }
    getCollectionInfos() { const r = this.runCommand({ listCollections: 1 }); if (!r.ok) fail(r, "listCollections failed: " + tojson(r)); return r.cursor.firstBatch; }
    createCollection(n, o) { return this.runCommand({ create: n, ...(o || {}) }); }
    dropDatabase() { return this.runCommand({ dropDatabase: 1 }); }
    stats(s) { return this.runCommand({ dbStats: 1, ...(s ? { scale: s } : {}) }); }
    serverStatus() { return this.runCommand({ serverStatus: 1 }); }
    isMaster() { return this.runCommand({ isMaster: 1 }); }
    hello() { return this.runCommand({ hello: 1 }); }
    hostInfo() { return this.adminCommand({ hostInfo: 1 }); }
    serverBuildInfo() { return this.adminCommand({ buildInfo: 1 }); }
    serverCmdLineOpts() { return this.adminCommand({ getCmdLineOpts: 1 }); }
    currentOp() { return this.adminCommand({ currentOp: 1 }); }
    shutdownServer() { const r = new DB("admin").runCommand({ shutdown: 1 }); if (!r.ok) fail(r, "shutdownServer failed: " + tojson(r), "DB.prototype.shutdownServer@src/mongo/shell/db.js:471:19"); print("server should be down..."); }
    version() { return __version; }
    help() { print("DB methods:\n\tdb.adminCommand(nameOrDocument) - switches to 'admin' db, and runs command [just calls db.runCommand(...)]\n\tdb.auth(username, password)\n\tdb.createRole(roleDocument)\n\tdb.createUser(userDocument)\n\tdb.dropRole(rolename)\n\tdb.dropUser(username)\n\tdb.getCollectionNames()\n\tdb.getUsers()\n\tdb.getRole(rolename)\n\tdb.grantPrivilegesToRole(rolename, privileges)\n\tdb.grantRolesToRole(rolename, roles)\n\tdb.grantRolesToUser(username, roles)\n\tdb.revokeRolesFromUser(username, roles)\n\tdb.runCommand(cmdObj)\n\tdb.stats()\n\tdb.updateUser(username, userDocument)\n\tdb.version()"); }
  }

  // ---- cursors
  class Cursor {
    constructor(coll, make) { this._coll = coll; this._make = make; this._o = {}; this._docs = null; this._at = 0; this._pretty = false; }
    limit(n) { this._o.limit = n; return this; }
    skip(n) { this._o.skip = n; return this; }
    sort(s) { this._o.sort = s; return this; }
    projection(p) { this._o.projection = p; return this; }
    pretty() { this._pretty = true; return this; }
    batchSize() { return this; } hint() { return this; } maxTimeMS() { return this; } comment() { return this; } readPref() { return this; } noCursorTimeout() { return this; }
    _exec() {
      if (this._docs) return this._docs;
      const r = this._make(this._o);
      if (!r.ok) fail(r, "error: " + tojson(r), "DBQuery.prototype._exec@src/mongo/shell/query.js:145:32");
      return (this._docs = r.cursor.firstBatch);
    }
    hasNext() { return this._at < this._exec().length; }
    next() { if (!this.hasNext()) fail(null, "error hasNext: false"); return this._docs[this._at++]; }
    toArray() { const d = this._exec().slice(this._at); this._at = this._docs.length; return d; }
    forEach(f) { this.toArray().forEach((x) => f(x)); }
    map(f) { return this.toArray().map((x) => f(x)); }
    objsLeftInBatch() { return this._exec().length - this._at; }
    itcount() { return this.toArray().length; }
    size() { return this._coll._count(this._o.filter, this._o); }
    length() { return this.toArray().length; }
    count(applySkipLimit) { return this._coll._count(this._o.filter, applySkipLimit ? this._o : {}); }
    explain() { return { queryPlanner: { plannerVersion: 1, namespace: this._coll.getFullName(), indexFilterSet: false, winningPlan: { stage: "COLLSCAN", direction: "forward" }, rejectedPlans: [] }, ok: 1 }; }
    shellPrint() {
      try {
        for (let n = 0; n < 20 && this.hasNext(); n++) { const d = this.next(); print(this._pretty ? tojson(d) : tojson(d, "", true)); }
        if (this.hasNext()) print('Type "it" for more');
        global.___it = this;
      } catch (e) { if (e === __SUSPEND) throw e; print(e); }
    }
  }
  class WriteResult {
    constructor(o) { Object.assign(this, o); }
    tojson() { const o = {}; for (const k of Object.keys(this)) o[k] = this[k]; return "WriteResult(" + tojson(o) + ")"; }
    hasWriteError() { return "writeError" in this; }
  }
  class BulkWriteResult extends WriteResult { tojson() { return "BulkWriteResult(" + tojson({ ...this }) + ")"; } }
  class WriteCommandError extends Error {
    constructor(r) { super(r.errmsg); this.reply = r; this.code = r.code; this.name = "WriteCommandError"; }
    toString() { return "WriteCommandError(" + tojson(this.reply) + ")"; }
    tojson() { return this.toString(); }
    shellPrint() { print(this.toString()); }
  }

  // ---- collections
  class DBCollection {
    constructor(db, name) {
      this._db = db; this._short = name;
      return new Proxy(this, { get: (t, k) => (k in t || typeof k === "symbol" ? t[k] : new DBCollection(t._db, t._short + "." + String(k))) });
    }
    getName() { return this._short; }
    getFullName() { return this._db._name + "." + this._short; }
    getDB() { return this._db; }
    toString() { return this.getFullName(); }
    tojson() { return this.getFullName(); }
    _run(c) { return this._db.runCommand(c); }
    find(filter, projection) {
      const cursor = new Cursor(this, (o) => this._run({ find: this._short, filter: o.filter, ...pick(o, "sort", "limit", "skip", "projection") }));
      cursor._o.filter = filter || {};
      if (projection) cursor._o.projection = projection;
      return cursor;
    }
    findOne(filter, projection) { const c = this.find(filter, projection).limit(1); return c.hasNext() ? c.next() : null; }
    _count(filter, o) {
      const r = this._run({ count: this._short, query: filter || {}, ...pick(o || {}, "limit", "skip") });
      if (!r.ok) fail(r, "count failed: " + tojson(r), "DBQuery.prototype.count@src/mongo/shell/query.js:376:11", "DBCollection.prototype.count@src/mongo/shell/collection.js:1401:12");
      return r.n;
    }
    count(filter, o) { return this._count(filter, o); }
    estimatedDocumentCount() { return this._count({}); }
    countDocuments(filter) {
      const r = this._run({ aggregate: this._short, pipeline: [{ $match: filter || {} }, { $group: { _id: 1, n: { $sum: 1 } } }], cursor: {} });
      if (!r.ok) fail(r, "command failed: " + tojson(r) + " : aggregate failed", "doassert@src/mongo/shell/assert.js:20:14", "_assertCommandWorked@src/mongo/shell/assert.js:618:17", "assert.commandWorked@src/mongo/shell/assert.js:708:16", "DB.prototype._runAggregate@src/mongo/shell/db.js:266:5", "DBCollection.prototype.aggregate@src/mongo/shell/collection.js:1058:12", "DBCollection.prototype.countDocuments@src/mongo/shell/crud_api.js:991:20");
      return r.cursor.firstBatch.length ? r.cursor.firstBatch[0].n : 0;
    }
    distinct(key, query) { const r = this._run({ distinct: this._short, key, query: query || {} }); if (!r.ok) fail(r, "distinct failed: " + tojson(r)); return r.values; }
    aggregate(pipeline, ...rest) {
      const stages = Array.isArray(pipeline) ? pipeline : [pipeline, ...rest];
      const cursor = new Cursor(this, () => this._run({ aggregate: this._short, pipeline: stages, cursor: {} }));
      return cursor;
    }
    _write(r, make) {
      if (!r.ok) return new WriteCommandError(r);
      if (r.writeErrors) return new WriteResult({ ...make(r), writeError: { code: r.writeErrors[0].code, errmsg: r.writeErrors[0].errmsg } });
      return new WriteResult(make(r));
    }
    _checked(r) {
      if (!r.ok) { __frames = ["WriteCommandError@src/mongo/shell/bulk_api.js:417:48", "executeBatch@src/mongo/shell/bulk_api.js:915:23", "Bulk/this.execute@src/mongo/shell/bulk_api.js:1163:21"]; throw new WriteCommandError(r); }
      if (r.writeErrors) { __frames = ["WriteError@src/mongo/shell/bulk_api.js:458:48", "mergeBatchResults@src/mongo/shell/bulk_api.js:855:49"]; const e = new Error("write error"); e.name = "WriteError"; e.toString = () => "WriteError(" + tojson(r.writeErrors[0]) + ")"; throw e; }
      return r;
    }
    _with(d) { return d && "_id" in d ? d : { _id: new ObjectId(), ...d }; }
    insert(d) {
      const r = this._run({ insert: this._short, documents: (Array.isArray(d) ? d : [d]).map((x) => this._with(x)) });
      if (Array.isArray(d) && r.ok) return new BulkWriteResult({ writeErrors: r.writeErrors || [], writeConcernErrors: [], nInserted: r.n, nUpserted: 0, nMatched: 0, nModified: 0, nRemoved: 0, upserted: [] });
      return this._write(r, (x) => ({ nInserted: x.n }));
    }
    save(d) { return d && "_id" in d ? this.update({ _id: d._id }, d, { upsert: true }) : this.insert(d); }
    insertOne(d) { const x = this._with(d); this._checked(this._run({ insert: this._short, documents: [x] })); return { acknowledged: true, insertedId: x._id }; }
    insertMany(a) { const x = a.map((d) => this._with(d)); this._checked(this._run({ insert: this._short, documents: x })); return { acknowledged: true, insertedIds: x.map((d) => d._id) }; }
    update(q, u, o, multi) {
      const opt = typeof o === "object" && o !== null ? o : { upsert: !!o, multi: !!multi };
      const r = this._run({ update: this._short, updates: [{ q, u, multi: !!opt.multi, upsert: !!opt.upsert }] });
      return this._write(r, (x) => ({ nMatched: x.n - (x.upserted || []).length, nUpserted: (x.upserted || []).length, nModified: x.nModified, ...(x.upserted ? { _id: x.upserted[0]._id } : {}) }));
    }
    _updateAck(q, u, o, multi) {
      const r = this._checked(this._run({ update: this._short, updates: [{ q, u, multi, upsert: !!(o || {}).upsert }] }));
      const up = r.upserted || [];
      return { acknowledged: true, matchedCount: r.n - up.length, modifiedCount: r.nModified, ...(up.length ? { upsertedId: up[0]._id } : {}) };
    }
    updateOne(q, u, o) { return this._updateAck(q, u, o, false); }
    updateMany(q, u, o) { return this._updateAck(q, u, o, true); }
    replaceOne(q, u, o) { return this._updateAck(q, u, o, false); }
    remove(q, o) {
      if (q === undefined) { __frames = ["DBCollection.prototype._parseRemove@src/mongo/shell/collection.js:362:15"]; throw new Error("remove needs a query"); }
      const one = o === true || (o && o.justOne);
      return this._write(this._run({ delete: this._short, deletes: [{ q, limit: one ? 1 : 0 }] }), (x) => ({ nRemoved: x.n }));
    }
    deleteOne(q) { return { acknowledged: true, deletedCount: this._checked(this._run({ delete: this._short, deletes: [{ q: q || {}, limit: 1 }] })).n }; }
    deleteMany(q) { return { acknowledged: true, deletedCount: this._checked(this._run({ delete: this._short, deletes: [{ q: q || {}, limit: 0 }] })).n }; }
    findAndModify(o) { const r = this._run({ findAndModify: this._short, ...o }); if (!r.ok) fail(r, "findAndModifyFailed failed: " + tojson(r)); return r.value; }
    findOneAndUpdate(q, u, o) { return this.findAndModify({ query: q, update: u, new: !!(o && o.returnNewDocument) }); }
    findOneAndDelete(q) { return this.findAndModify({ query: q, remove: true }); }
    drop() {
      const r = this._run({ drop: this._short });
      if (r.ok) return true;
      if (r.errmsg === "ns not found") return false;
      fail(r, "drop failed: " + tojson(r), "DBCollection.prototype.drop@src/mongo/shell/collection.js:670:15");
    }
    createIndex(key, o) { return this._run({ createIndexes: this._short, indexes: [{ key, name: Object.entries(key).map((e) => e.join("_")).join("_"), ...(o || {}) }] }); }
    ensureIndex(key, o) { return this.createIndex(key, o); }
    createIndexes(keys) { return this._run({ createIndexes: this._short, indexes: keys.map((key) => ({ key, name: Object.entries(key).map((e) => e.join("_")).join("_") })) }); }
    dropIndex(i) { return this._run({ dropIndexes: this._short, index: i }); }
    dropIndexes() { return this._run({ dropIndexes: this._short, index: "*" }); }
    getIndexes() {
      const r = this._run({ listIndexes: this._short });
      if (!r.ok) { if (r.code === 26) return []; fail(r, "listIndexes failed: " + tojson(r), "DBCollection.prototype.getIndexes@src/mongo/shell/collection.js:829:15"); }
      return r.cursor.firstBatch;
    }
    getIndexKeys() { return this.getIndexes().map((i) => i.key); }
    stats() { return this._run({ collStats: this._short }); }
    dataSize() { return this.stats().size; }
    storageSize() { return this.stats().storageSize; }
    totalSize() { return this.stats().totalSize; }
    isCapped() { return false; }
    exists() { const n = this._db.getCollectionNames().indexOf(this._short); return n < 0 ? null : { name: this._short, type: "collection" }; }
    validate() { return { ns: this.getFullName(), nInvalidDocuments: 0, nrecords: this._count({}), valid: true, warnings: [], errors: [], ok: 1 }; }
    renameCollection() { return { ok: 0, errmsg: "renameCollection is not supported here", code: 59, codeName: "CommandNotFound" }; }
  }
  global.DBCollection = DBCollection;
  function pick(o, ...names) { const r = {}; for (const n of names) if (o[n] !== undefined) r[n] = o[n]; return r; }

  // ---- the connection
  const mongo = {
    getDB: (n) => new DB(n),
    getDBs() {
      const r = new DB("admin").runCommand({ listDatabases: 1 });
      if (!r.ok) fail(r, "listDatabases failed:" + tojson(r), "Mongo.prototype.getDBs/<@src/mongo/shell/mongo.js:147:19", "Mongo.prototype.getDBs@src/mongo/shell/mongo.js:99:12");
      return r;
    },
    getDBNames() { return this.getDBs().databases.map((d) => d.name); },
    setSlaveOk() {}, setSecondaryOk() {}, setReadPref() {}, isMongos: () => false,
    host: "", toString() { return "connection to " + __host; }, tojson() { return this.toString(); },
  };
  global.Mongo = function () { return mongo; };
  global.connect = (s) => new DB(String(s).split("/").pop());
  global.db = new DB("test");
  global.__use = (name) => { global.db = new DB(name); print("switched to db " + name); };
  global.__setDb = (name) => { global.db = new DB(name); };
  global.__tail = ["shellHelper.show@src/mongo/shell/utils.js:937:13", "shellHelper@src/mongo/shell/utils.js:819:15", "@(shellhelp2):1:1"];
  global.__showWhat = function (what) {
    const word = what.split(/\s+/)[0];
    if (word === "dbs" || word === "databases") {
      const found = mongo.getDBs().databases, width = Math.max(...found.map((d) => d.name.length));
      found.forEach((d) => print(d.name.padEnd(width) + "  " + (d.sizeOnDisk / 1073741824).toFixed(3) + "GB"));
    } else if (word === "collections" || word === "tables") db.getCollectionNames().forEach((n) => print(n));
    else if (word === "users") db.getUsers().forEach((u) => printjson(u));
    else if (word === "roles") db.getRoles({ showBuiltinRoles: true }).forEach((r) => printjson(r));
    else if (word === "log" || word === "logs") (db.adminCommand({ getLog: what.split(/\s+/)[1] || "global" }).log || ["global", "startupWarnings"]).forEach((l) => print(l));
    else if (word === "profile") print("db.system.profile is empty\nUse db.setProfilingLevel(2) will enable profiling\nUse db.system.profile.find() to show raw profile entries");
    else { __frames = __tail; throw new Error("don't know how to show [" + what + "]"); }
  };
  global.quit = (code) => { __exit = Number(code) | 0; throw __SUSPEND; };
  global.exit = global.quit;
  global.sleep = () => {};
  global.hostname = () => __host.split(":")[0];
  global.version = () => __version;
  global.it = undefined;
  global.rs = { status: () => new DB("admin").runCommand({ replSetGetStatus: 1 }), secondaryOk() {}, slaveOk() {} };
  global.sh = { status: () => print("printShardingStatus: this db does not have sharding enabled. be sure you are connecting to a mongos from the shell and not to a mongod.") };
  global.assert = Object.assign((b, m) => { if (!b) throw new Error("assert failed" + (m ? " : " + m : "")); }, {
    eq: (a, b, m) => { if (tojson(a) !== tojson(b)) throw new Error("[" + tojson(a) + "] != [" + tojson(b) + "] are not equal" + (m ? " : " + m : "")); },
    commandWorked: (r) => { if (!r || !r.ok) throw new Error("command failed: " + tojson(r)); return r; },
  });
  // What the engine does in one go it does not count: an array that is long by its length only is none.
  const LONGEST_ARRAY = 1000000;
  for (const name of ["join", "fill", "indexOf", "lastIndexOf", "includes", "reverse", "sort", "map", "forEach", "filter", "some", "every", "reduce", "reduceRight", "find", "findIndex", "concat", "slice", "splice", "toString", "toLocaleString", "flat", "flatMap", "shift", "unshift", "copyWithin", "findLast", "findLastIndex"]) {
    const own = Array.prototype[name];
    if (typeof own !== "function") continue;
    const limited = function (...given) {
      if (this !== null && this !== undefined && this.length > LONGEST_ARRAY) throw new RangeError("invalid array length");
      return Reflect.apply(own, this, given);
    };
    Object.defineProperty(limited, "name", { value: name });
    Object.defineProperty(Array.prototype, name, { value: limited, writable: true, configurable: true, enumerable: false });
  }
  global.passwordPrompt = () => "";
  global.help = "\tdb.help()                    help on db methods\n\tdb.mycoll.help()             help on collection methods\n\tshow dbs                     show database names\n\tshow collections             show collections in current database\n\tshow users                   show users in current database\n\tuse <db_name>                set current database\n\tdb.foo.find()                list objects in collection foo\n\texit                         quit the mongo shell";
})(globalThis);
