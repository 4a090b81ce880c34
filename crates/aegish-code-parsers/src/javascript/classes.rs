//! Classes of JavaScript.
//!
//! The constructor is the attribute `__init__`, the values of fields are set by the method [`FIELDS`], and a setter of
//! `x` is the attribute `<set x>`. Static fields and blocks run once the class exists.

use super::Javascript;
use super::functions::Named;
use crate::ir::{Argument, Block, Class, Expr, Name, Statement, Target};
use crate::lowering::Lowering;
use oxc_ast::ast;
use std::rc::Rc;

/// The method that sets the fields of a new object.
pub const FIELDS: &str = "<fields>";

/// The name of the setter of an attribute.
#[must_use]
pub fn setter_name(name: &str) -> String {
    format!("<set {name}>")
}

impl Javascript<'_> {
    pub(super) fn class(&mut self, class: &ast::Class<'_>) -> Rc<Class> {
        let bases = class
            .heritage
            .as_ref()
            .map(|heritage| Argument::One(self.expr(&heritage.expression)))
            .into_iter()
            .collect();
        let mut body = Block::new();
        let mut fields = Block::new();
        let mut statics = Block::new();
        for element in &class.body.body {
            match element {
                ast::ClassElement::StaticBlock(block) => {
                    let block = self.block(&block.body);
                    statics.push(Statement::Block(block));
                }
                ast::ClassElement::MethodDefinition(method) => self.method(method, &mut body),
                ast::ClassElement::PropertyDefinition(property) => {
                    self.decorators(&property.decorators, &mut body);
                    let value = property.value.as_ref();
                    let out = if property.r#static { &mut statics } else { &mut fields };
                    self.field(&property.key, property.computed, value, out);
                }
                ast::ClassElement::AccessorProperty(property) => {
                    let value = property.value.as_ref();
                    let out = if property.r#static { &mut statics } else { &mut fields };
                    self.field(&property.key, property.computed, value, out);
                }
                ast::ClassElement::TSIndexSignature(_) => {}
            }
        }
        if !fields.is_empty() {
            let code = self.made(FIELDS, fields);
            body.push(Statement::Assign(vec![Target::Name(FIELDS.into())], Expr::Function(code)));
        }
        let statics = (!statics.is_empty()).then(|| self.made("<static>", statics));
        let name = Lowering::name(class.id.as_ref().map_or("", |id| id.name.as_str()));
        Rc::new(Class { name, bases, body, statics })
    }

    fn field(
        &mut self,
        key: &ast::PropertyKey<'_>,
        computed: bool,
        value: Option<&ast::Expression<'_>>,
        out: &mut Block,
    ) {
        let Some(value) = value else { return };
        let value = self.expr(value);
        let this = Expr::Name("this".into());
        let target = Target::Index(this, self.key(key, computed));
        out.push(Statement::Assign(vec![target], value));
    }

    fn method(&mut self, method: &ast::MethodDefinition<'_>, body: &mut Block) {
        self.decorators(&method.decorators, body);
        let Some(code) = self.function(&method.value, Named::Outside) else { return };
        let key = self.key(&method.key, method.computed);
        let known: Option<Name> = match &key {
            Expr::Constant(crate::ir::Constant::Text(name)) => Some(name.clone()),
            _ => None,
        };
        let (target, value) = match (method.kind, known) {
            (ast::MethodDefinitionKind::Constructor, _) => {
                (Target::Name("__init__".into()), Expr::Function(code))
            }
            (ast::MethodDefinitionKind::Get, Some(name)) => {
                (Target::Name(name), Expr::Getter(code))
            }
            (ast::MethodDefinitionKind::Get, None) => (Target::Computed(key), Expr::Getter(code)),
            (ast::MethodDefinitionKind::Set, Some(name)) => {
                (Target::Name(setter_name(&name).into()), Expr::Function(code))
            }
            (_, Some(name)) => (Target::Name(name), Expr::Function(code)),
            (_, None) => (Target::Computed(key), Expr::Function(code)),
        };
        body.push(Statement::Assign(vec![target], value));
    }

    /// Decorators are called with what they decorate, which is not known here.
    pub(super) fn decorators(&mut self, list: &[ast::Decorator<'_>], out: &mut Block) {
        for decorator in list {
            let function = self.expr(&decorator.expression);
            let call = self.call_of(function, vec![Argument::One(Expr::Unknown)]);
            out.push(Statement::Expr(call));
        }
    }
}
